import type { AwsClients } from '../../core/aws/clients';
import { AwsError, callAws, present } from '../../core/aws/errors';
import type { AwsCall } from '../../core/aws/errors';

/** Parameters of one lease in Parameter Store. */
export class SsmParameters {
  /** @param lease name of the lease, for errors */
  public constructor(
    private readonly lease: string,
    private readonly clients: AwsClients,
  ) {}

  /** Answers the version that was written. */
  public async put(
    name: string,
    value: string,
    overwrite: boolean,
    description: string | undefined,
    signal?: AbortSignal,
  ): Promise<number> {
    const { Version } = await this.ask('ssm:PutParameter', async () =>
      (await this.clients.ssm()).putParameter(
        {
          Name: name,
          Value: value,
          Overwrite: overwrite,
          Type: 'String',
          ...(!overwrite && { Description: description }),
        },
        { abortSignal: signal },
      ),
    );
    return present(this.callOf('ssm:PutParameter'), 'a version', Version);
  }

  /** Undefined where there is no such parameter, or not in this version. */
  public async get(
    name: string,
    signal?: AbortSignal,
  ): Promise<{ readonly Version?: number; readonly Value?: string } | undefined> {
    try {
      const { Parameter } = await this.ask('ssm:GetParameter', async () =>
        (await this.clients.ssm()).getParameter({ Name: name }, { abortSignal: signal }),
      );
      return present(this.callOf('ssm:GetParameter'), 'a parameter', Parameter);
    } catch (error) {
      if (error instanceof AwsError && error.failure.kind === 'notFound') {
        return undefined;
      }
      throw error;
    }
  }

  private ask<Answer>(action: string, ask: () => Promise<Answer>): Promise<Answer> {
    return callAws(this.callOf(action), ask);
  }

  private callOf(action: string): AwsCall {
    return { action, subject: this.lease, region: this.clients.region };
  }
}
