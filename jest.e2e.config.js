const unit = require('./jest.config.js');

/** @type {import('jest').Config} */
module.exports = {
  ...unit,
  testMatch: ['<rootDir>/test/e2e/**/*.e2e.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  setupFilesAfterEnv: ['<rootDir>/test/e2e/bench/setup.ts'],
};
