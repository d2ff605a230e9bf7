const groups = require('./groups.js');

// In one file, so that the library is loaded once for each mutant, and not once for each file of tests.
for (const test of groups[process.env.MUTATION_GROUP].tests) {
  require(`../${test}.test.ts`);
}
