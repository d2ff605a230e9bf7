/**
 * Tests of `npm test`'s kind that take long: they start processes, or the compiler of TypeScript, or take hostile texts. The part
 * `slow` of the end-to-end suite runs them.
 *
 * @type {import('jest').Config}
 */
module.exports = {
  ...require('./jest.config.js'),
  testMatch: ['<rootDir>/test/**/*.slow.ts'],
  testTimeout: 240_000,
};
