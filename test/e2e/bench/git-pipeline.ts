import type { GitHub } from './github';

/** How a pipeline says what became of a commit. */
export type PipelineReport = { readonly status: string } | { readonly environment: string };

/** What one run of a pipeline does in place of its work. */
export type PipelineFault = 'fails' | 'never ends' | 'is left out';

/** A pipeline that deploys `main` whenever it moves, one commit after the other, and reports to GitHub. */
export class GitPipeline {
  /** Is called when a commit was deployed. */
  public onDeployed: (commit: string) => void = () => undefined;
  /** What the next runs do. */
  public readonly faults: PipelineFault[] = [];
  private work: Promise<void> = Promise.resolve();

  /** @param deploy deploys what a file says */
  public constructor(
    private readonly hosting: GitHub,
    private readonly settings: { readonly file: string; readonly report: PipelineReport },
    private readonly deploy: (text: string, commit: string) => Promise<void>,
  ) {
    hosting.onMerge = (commit) => this.begin(commit);
  }

  /** Deploys a commit once those before it have ended. */
  public begin(commit: string): void {
    this.work = this.work.then(() => this.run(commit));
  }

  /** What was begun has ended. */
  public async idle(): Promise<void> {
    await this.work;
  }

  private async run(commit: string): Promise<void> {
    const fault = this.faults.shift();
    if (fault === 'is left out') {
      return;
    }
    const report = this.reporter(commit);
    if (fault === 'never ends') {
      return;
    }
    try {
      if (fault === 'fails') {
        throw new Error('as it was told');
      }
      await this.deploy(this.hosting.repository.text(this.settings.file, commit), commit);
      this.onDeployed(commit);
      report('success');
    } catch {
      report('failure');
    }
  }

  private reporter(commit: string): (state: 'success' | 'failure') => void {
    const { report } = this.settings;
    if ('environment' in report) {
      return this.hosting.deploy(commit, report.environment);
    }
    this.hosting.report(commit, report.status, 'pending');
    return (state) => this.hosting.report(commit, report.status, state);
  }
}
