const {
  moduleNameMapper,
  globalSetup: _setup,
  testEnvironment: _environment,
  ...unit
} = require('./jest.config.js');

// Nothing is stood in for here.
const fromSource = Object.fromEntries(
  Object.entries(moduleNameMapper).filter(([, file]) => file.includes('/lib/')),
);

/** @type {import('jest').Config} */
module.exports = {
  ...unit,
  testMatch: ['<rootDir>/test/e2e/**/*.e2e.ts'],
  moduleNameMapper: fromSource,
  testPathIgnorePatterns: ['/node_modules/'],
  testSequencer: '<rootDir>/test/e2e/in-given-order.js',
  setupFilesAfterEnv: ['<rootDir>/test/e2e/bench/setup.ts'],
};
