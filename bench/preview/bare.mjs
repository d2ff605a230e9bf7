// As many plain resources as the argument says, registered on Pulumi's own mocks.
import aws from '@pulumi/aws';
import pulumi from '@pulumi/pulumi';

const resources = Number(process.argv[2]);
let registered = 0;

await pulumi.runtime.setMocks(
  {
    newResource: ({ type, name, inputs }) => {
      registered += type === 'pulumi:pulumi:Stack' ? 0 : 1;
      return { id: `${name}-id`, state: inputs };
    },
    call: ({ inputs }) => inputs,
  },
  'bare',
  'dev',
  true,
);
await pulumi.runtime.runInPulumiStack(() => {
  let group;
  for (let index = 0; index < resources; index += 1) {
    if (index % 2 === 0) {
      group = new aws.ec2.SecurityGroup(`group-${index}`, {
        description: `Group ${index}`,
        vpcId: 'vpc-0123456789abcdef0',
        tags: { number: String(index) },
      });
    } else {
      new aws.vpc.SecurityGroupIngressRule(`rule-${index}`, {
        securityGroupId: group.id,
        ipProtocol: 'tcp',
        fromPort: 443,
        toPort: 443,
        cidrIpv4: '10.0.0.0/8',
      });
    }
  }
  return Promise.resolve({});
});
process.on('exit', () => process.stdout.write(String(registered)));
