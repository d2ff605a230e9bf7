import * as pulumi from '@pulumi/pulumi';

const name: string = 'typed';
new pulumi.ComponentResource('test:index:Part', name);
export default async (): Promise<object> => Promise.resolve({ from: 'a function' });
