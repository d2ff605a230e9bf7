import { RecordingClients, sdkError } from '../../core/aws/recording-clients';

/** @see https://docs.aws.amazon.com/systems-manager/latest/userguide/parameter-store-advanced-parameters.html */
const longest = 4_096;

/** SSM's parameters with all their versions. */
export class SsmMemory {
  public readonly versions = new Map<string, string[]>();
  /** Called before a command takes effect; what it throws is the answer. */
  public before: (command: string, input: any) => unknown = () => undefined;
  /** Called after a command took effect; what it throws is the answer; `empty` stands for one without fields. */
  public after: (command: string, input: any) => unknown = () => undefined;

  public readonly clients = new RecordingClients({
    PutParameter: this.command('PutParameter', ({ Name, Value, Overwrite, Type }) => {
      const versions = this.versions.get(Name) ?? [];
      if (versions.length > 0 && !Overwrite) {
        throw sdkError('ParameterAlreadyExists', 'The parameter already exists.', { status: 400 });
      }
      if (versions.length === 0 && !Type) {
        throw sdkError('ValidationException', 'A parameter type is required', { status: 400 });
      }
      if (Value.length > longest) {
        const message = `Standard tier parameters support a maximum parameter value of ${longest} characters.`;
        throw sdkError('ValidationException', message, { status: 400 });
      }
      this.versions.set(Name, [...versions, Value]);
      return { Version: versions.length + 1 };
    }),
    GetParameter: this.command('GetParameter', ({ Name }) => {
      const [name, version] = Name.split(':') as [string, string?];
      const versions = this.versions.get(name);
      if (!versions) {
        throw sdkError('ParameterNotFound', 'gone', { status: 400 });
      }
      const number = version === undefined ? versions.length : Number(version);
      if (number > versions.length) {
        throw sdkError('ParameterVersionNotFound', 'gone', { status: 400 });
      }
      return { Parameter: { Name: name, Value: versions[number - 1], Version: number } };
    }),
    DeleteParameter: this.command('DeleteParameter', ({ Name }) => {
      if (!this.versions.delete(Name)) {
        throw sdkError('ParameterNotFound', 'gone', { status: 400 });
      }
      return {};
    }),
  });

  /** The newest value of the only parameter. */
  public get value(): any {
    const [versions] = this.versions.values();
    return versions && JSON.parse(versions.at(-1)!);
  }

  private command(name: string, effect: (input: any) => unknown) {
    return async (input: any) => {
      await this.before(name, input);
      const answer = effect(input);
      return (await this.after(name, input)) === 'empty' ? {} : answer;
    };
  }
}
