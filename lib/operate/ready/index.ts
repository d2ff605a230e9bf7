export { readyDocument } from './document';
export type { DocumentedReadiness, DocumentedSubject, ReadyDocument } from './document';
export { judgeManifests, manifestsSubject } from './manifests';
export type { ReadFiles } from './manifests';
export { leftOutOf, readySummary, readyVerdict, subjectStatus } from './report';
export type {
  AskedClusters,
  AskedServer,
  LeftOutSubject,
  ReadyReport,
  ReadyStatus,
  ReadySummary,
} from './report';
export { askedServer, eksServer, serversResult, unopenedResults } from './servers';
export type { WantedServer } from './servers';
export { readySarif } from './sarif';
export { readyText } from './text';
