// JSON with comments and trailing commas, as OpenCode's configuration may be.

/** An empty text is an empty object, as a host reads an empty file. @param {string} text @returns {unknown} @throws {SyntaxError} */
export const parseJsonc = (text) => JSON.parse(withoutComments(text).trim() || "{}");

/** Comments become blanks, so that places in error messages stay true. @param {string} text */
function withoutComments(text) {
  const pieces = /"(?:\\.|[^"\\])*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|,(?=\s*(?:(?:\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)\s*)*[}\]])/g;
  return text.replace(/^\uFEFF/, " ").replace(pieces, (piece) => (piece.startsWith('"') ? piece : piece.replace(/[^\n]/g, " ")));
}
