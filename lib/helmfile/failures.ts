/** One run of helm that failed, as helmfile tells it. */
interface FailedCommand {
  readonly args: readonly string[];
  readonly stderr: readonly string[];
}

/** Lines that helmfile writes where all is well. */
const routine =
  /^(Adding repo|Building dependency|Comparing release|Upgrading release|Templating release|Listing releases|Deleting|Decrypting|Fetching|Pulling|Affected releases|"[^"]*" has been added|Update Complete|Hang tight|\.\.\.Successfully)/;

/** As much of an output that can't be taken apart is shown, in lines: the end. */
const mostLines = 40;

/**
 * What went wrong, from the output of helmfile: a part for each release, with the release's name and what Helm said.
 *
 * @param output what helmfile wrote to stderr
 * @param releases names of the releases that it was run for, as far as they are known
 */
export function failureText(output: string, releases: readonly string[] = []): string {
  const commands = failedCommands(output);
  const parts = commands.map(({ args, stderr }) => {
    const lines = stderr.filter((line) => line.trim() !== '');
    const said = (lines.length > 0 ? lines : ['it said nothing']).join('\n  ');
    return `release ${releaseOf(args, releases) ?? '?'}: ${said}`;
  });
  const unique = [...new Set(parts)];
  if (unique.length > 0) {
    return unique.join('\n');
  }
  const lines = output.split('\n').filter((line) => line.trim() !== '' && !routine.test(line));
  return lines.slice(-mostLines).join('\n');
}

/** @see https://github.com/helmfile/helmfile/blob/v1.8.0/pkg/helmexec/exit_error.go */
function failedCommands(output: string): FailedCommand[] {
  return output
    .split(/command "[^"]*" exited with non-zero status:/)
    .slice(1)
    .map((block) => ({
      args: sectionOf(block, 'ARGS').flatMap(
        (line) => /^\d+: (.*) \(\d+ bytes\)$/.exec(line.trim())?.[1] ?? [],
      ),
      stderr: sectionOf(block, 'STDERR').map((line) => line.replace(/^ {2}/, '')),
    }));
}

/** The indented lines below a heading. */
function sectionOf(block: string, heading: string): string[] {
  const lines = block.split('\n');
  const start = lines.indexOf(`${heading}:`);
  if (start < 0) {
    return [];
  }
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => line !== '' && !line.startsWith('  '));
  return end < 0 ? rest : rest.slice(0, end);
}

function releaseOf(args: readonly string[], releases: readonly string[]): string | undefined {
  const known = args.find((arg) => releases.includes(arg));
  // helm upgrade --install NAME CHART, helm diff upgrade --allow-unreleased NAME CHART, helm uninstall NAME
  return (
    known ??
    args.slice(1).find((arg) => !/^(-.*|diff|upgrade|template|uninstall|dependency|build)$/.test(arg))
  );
}
