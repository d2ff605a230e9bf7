const { globalSetup: _, ...shared } = require('../../jest.config.js');

/** The tests of one group, which the environment names. None of them runs the command line. */
module.exports = {
  ...shared,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/mutation/together.js'],
  testEnvironment: require.resolve('./first-failure.js'),
  setupFiles: ['<rootDir>/test/mutation/no-shrinking.js'],
};
