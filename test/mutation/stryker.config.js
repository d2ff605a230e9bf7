const groups = require('./groups.js');

const group = process.env.MUTATION_GROUP;

/**
 * Mutants of decisions on plain data: whatever is changed in them, a test has to notice.
 * @type {Partial<import('@stryker-mutator/api/core').PartialStrykerOptions>}
 */
module.exports = {
  mutate: groups[group].mutate,
  testRunner: 'jest',
  jest: { configFile: 'test/mutation/jest.config.js', enableFindRelatedTests: false },
  // Nothing checks types here, and a page of the documents quotes a file as it is.
  disableTypeChecks: false,
  coverageAnalysis: 'perTest',
  // A machine with two cores stays usable.
  concurrency: 1,
  // What runs when a file is loaded needs every test of every file.
  ignoreStatic: true,
  // A mutant may never end: its tests get twice their time, and this.
  timeoutMS: 5_000,
  timeoutFactor: 2,
  ignorePatterns: ['dist', 'bench', 'out'],
  tempDirName: `out/stryker-${group}`,
  reporters: ['clear-text', 'progress-append-only', 'json'],
  clearTextReporter: { allowColor: false, allowEmojis: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: `out/mutation/${group}.json` },
  thresholds: { high: 90, low: 80, break: 80 },
};
