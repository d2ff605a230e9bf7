/**
 * Stands for TypeScript's compiler and npm's dependency tree where Pulumi loads them to serialise functions:
 * no test does so, and each file that imports Pulumi would load them anew.
 */
module.exports = {};
