#!/usr/bin/env node

/**
 * `cluster-canary-harden`: `cluster-canary harden` for those who can name a program and no arguments, as Helm's
 * `--post-renderer` and the `postrender` of a Pulumi Release.
 */
process.argv.splice(2, 0, 'harden');

void import('./main');
