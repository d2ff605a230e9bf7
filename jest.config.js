/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/e2e/'],
  transform: { '^.+\\.ts$': ['ts-jest', { tsconfig: 'tsconfig.dev.json' }] },
  moduleNameMapper: {
    '^cluster-canary$': '<rootDir>/lib/index.ts',
    '^cluster-canary/(.*)$': '<rootDir>/lib/$1/index.ts',
  },
  maxWorkers: 2,
};
