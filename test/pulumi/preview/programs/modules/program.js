import * as pulumi from '@pulumi/pulumi';

new pulumi.ComponentResource('test:index:Part', 'esm');
export const module = import.meta.url.endsWith('/program.js');
