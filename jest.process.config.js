/**
 * Tests whose cost is the processes that they start: the part `processes` of the end-to-end suite runs them, not `npm test`.
 *
 * @type {import('jest').Config}
 */
module.exports = { ...require('./jest.config.js'), testMatch: ['<rootDir>/test/**/*.process.ts'] };
