const shared = require('../../jest.config.js');

/** Tests of what is mutated; those that start programs, or simulate a thousand shifts, are left out. */
module.exports = {
  ...shared,
  rootDir: '../..',
  testMatch: ['shift', 'clusterset', 'admission', 'rules'].map(
    (room) => `<rootDir>/test/${room}/**/*.test.ts`,
  ),
  setupFiles: ['<rootDir>/test/mutation/no-shrinking.js'],
  testPathIgnorePatterns: [
    ...shared.testPathIgnorePatterns,
    'comparison',
    'clusterset/(config|example|sync-construct)',
    'admission/(policy|policies)',
    'rules/(hardening|fuzz|mending|output|own-rules|sarif|well-formed|rule-pages|cdk8s-validation|config)',
  ],
};
