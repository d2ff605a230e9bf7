const { exports: subpaths } = require('./package.json');

/** The library's sources in the place of the package: `cluster-canary/webhooks` is `lib/manifests/webhooks/index.ts`. */
const library = Object.entries(subpaths)
  .filter(([, { default: code }]) => code)
  .map(([subpath, { default: code }]) => [
    `^cluster-canary${subpath.slice(1)}$`,
    code.replace('./dist', '<rootDir>/lib').replace(/\.js$/, '.ts'),
  ]);

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: '<rootDir>/test/shared-realm/environment.js',
  runtime: '<rootDir>/test/shared-realm/runtime.js',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/e2e/'],
  globalSetup: '<rootDir>/test/cli/compile-library.ts',
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'commonjs' } },
    ],
  },
  moduleNameMapper: {
    '^@npmcli/arborist$': '<rootDir>/test/not-loaded.js',
    '^\\.\\./\\.\\./typescript-shim$': '<rootDir>/test/not-loaded.js',
    ...Object.fromEntries(library),
  },
  // Much of the time is waiting for processes, also on two cores.
  maxWorkers: 3,
  // Machines differ: a test that takes two seconds here may take six on a busy one.
  testTimeout: 60_000,
};
