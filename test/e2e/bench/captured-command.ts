import type { Command } from 'commander';

/** What a command printed as JSON, and its exit status. */
export interface CommandResult {
  readonly status: number;
  readonly document: any;
}

/** Runs a command in this process, and takes what it prints. */
export async function captured(command: Command, args: readonly string[]): Promise<CommandResult> {
  const written: string[] = [];
  const write = process.stdout.write.bind(process.stdout);
  const before = process.exitCode;
  process.stdout.write = ((text: string, done: () => void) => {
    written.push(text);
    done();
    return true;
  }) as typeof process.stdout.write;
  try {
    await command.parseAsync([...args], { from: 'user' });
    return { status: Number(process.exitCode ?? 0), document: JSON.parse(written.join('')) };
  } finally {
    process.stdout.write = write;
    process.exitCode = before;
  }
}
