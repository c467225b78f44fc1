//! Hands `instructions` to libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| opencode_jev_pruner_fuzz::instructions(input));
