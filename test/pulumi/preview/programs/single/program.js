'use strict';
const pulumi = require('@pulumi/pulumi');

const part = new pulumi.ComponentResource('test:index:Part', 'alone', { folder: process.cwd() });
module.exports = {
  project: pulumi.getProject(),
  stack: pulumi.getStack(),
  arguments: process.argv.slice(2),
  urn: part.urn,
};
