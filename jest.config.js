/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
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
    '^cluster-canary$': '<rootDir>/lib/index.ts',
    '^cluster-canary/(.*)$': '<rootDir>/lib/$1/index.ts',
  },
  // Much of the time is waiting for processes, also on two cores.
  maxWorkers: 3,
  // Machines differ: a test that takes two seconds here may take six on a busy one.
  testTimeout: 30_000,
};
