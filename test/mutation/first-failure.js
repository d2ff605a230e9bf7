const { TestEnvironment } = require('jest-environment-node');

/** One failure is enough to know that a mutant was noticed: what comes after it is skipped. */
module.exports = class extends TestEnvironment {
  failed = false;

  handleTestEvent({ name, test }) {
    if (name === 'test_fn_failure' || name === 'hook_failure') {
      this.failed = true;
    } else if (name === 'test_start' && this.failed) {
      test.mode = 'skip';
    }
  }
};
