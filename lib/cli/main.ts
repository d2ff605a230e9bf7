#!/usr/bin/env node

/** Charts are judged one by one, in a process each: these commands don't wait for the modules of all others. */
const judging = ['lint', 'harden'];

void (judging.includes(process.argv[2] ?? '') ? import('./judging') : import('./all-commands'));

export {};
