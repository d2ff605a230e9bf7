import { DescribeSubnetsCommand, EC2Client } from '@aws-sdk/client-ec2';
import { IAMClient, UploadServerCertificateCommand } from '@aws-sdk/client-iam';
import { motoServerPath } from '../tools/other-tools';
import { AwsProxy } from './aws-proxy';
import { onCleanUp } from './clean-up';
import { BenchProcess } from './process';
import { freePort, temporaryFolder } from './temporary';

const region = 'eu-west-1';

/** What AWS clients need: region, endpoint, and credentials that moto takes for anybody's. */
export interface AwsSettings {
  readonly region: string;
  readonly endpoint: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** A network that every account has from the start. */
export interface DefaultNetwork {
  readonly vpcId: string;
  /** Subnets in three availability zones. */
  readonly subnetIds: readonly string[];
}

/** An AWS of the test's own: moto behind a proxy that writes down calls and lets them fail. */
export class Moto {
  public constructor(
    /** What was called, and what is to fail. */
    public readonly proxy: AwsProxy,
    private readonly direct: string,
  ) {}

  /** For clients whose calls are written down and may fail. */
  public get settings(): AwsSettings {
    return settings(this.proxy.url);
  }

  /** For the test's own clients: past the proxy. */
  public get directSettings(): AwsSettings {
    return settings(this.direct);
  }

  /** Environment of a program that is to call it. */
  public get env(): Record<string, string> {
    const { endpoint, credentials } = this.settings;
    return {
      AWS_ENDPOINT_URL: endpoint,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    };
  }

  /** The account's default VPC. */
  public async network(): Promise<DefaultNetwork> {
    const client = new EC2Client(this.directSettings);
    const { Subnets } = await client.send(new DescribeSubnetsCommand({}));
    client.destroy();
    return { vpcId: Subnets![0]!.VpcId!, subnetIds: Subnets!.map(({ SubnetId }) => SubnetId!) };
  }

  /** A certificate for listeners, in IAM; answers its ARN. moto does not look inside. */
  public async certificate(name: string): Promise<string> {
    const client = new IAMClient(this.directSettings);
    const { ServerCertificateMetadata } = await client.send(
      new UploadServerCertificateCommand({
        ServerCertificateName: name,
        CertificateBody: 'certificate',
        PrivateKey: 'key',
      }),
    );
    client.destroy();
    return ServerCertificateMetadata!.Arn!;
  }
}

function settings(endpoint: string): AwsSettings {
  return { region, endpoint, credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };
}

/** Starts moto and the proxy in front of it; both are gone when the test file ends. */
export async function moto(): Promise<Moto> {
  const port = await freePort();
  const direct = `http://127.0.0.1:${port}`;
  await new BenchProcess({
    name: 'moto',
    command: motoServerPath(),
    args: ['-H', '127.0.0.1', '-p', String(port)],
    // Without it, nothing can be attached to a role.
    env: { MOTO_IAM_LOAD_MANAGED_POLICIES: 'true' },
    folder: temporaryFolder('moto'),
  }).start(async () => (await fetch(`${direct}/moto-api/`)).ok);
  const proxy = await new AwsProxy(direct).start();
  onCleanUp(() => proxy.stop());
  return new Moto(proxy, direct);
}
