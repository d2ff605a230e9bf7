export type { MeasuredClock } from './clock-verdict';
export { githubCheck } from './github-check';
export type { GitHubCheckOptions } from './github-check';
export type { GitHubAnswer, GitHubHttp, GitHubRequest, GitHubRoute } from './github-http';
export type { LogLimits } from './repo-server-pods';
