#!/usr/bin/env node
import { join } from 'node:path';
import { runKept } from './compile-cache';
import type { LintOrHarden } from './lint-and-harden';

/** Charts are checked one by one, in a process each: these commands don't wait for the modules of all others. */
const bundled: Readonly<Record<LintOrHarden, true>> = { lint: true, harden: true };

// The SDK's version is pinned here: from which one on it needs a newer Node.js is nothing that a user of the command decides.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

const name = process.argv[2] ?? '';

if (Object.hasOwn(bundled, name)) {
  runKept(join(__dirname, 'lint-and-harden.js'), require, name);
} else {
  void Promise.all([import('./program'), import('./run'), import('./output')]).then(
    ([{ clusterCanary }, { run }, { version }]) =>
      run(() => clusterCanary(version()).parseAsync(process.argv)),
  );
}
