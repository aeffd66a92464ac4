/** What do the calls about searching do? */
import type { ContractRouterClient } from '@orpc/contract';
import type { contract, Facets, SearchAnswer } from '../contract/index.ts';
import { readMarks, withVerdicts } from '../project/judgements.ts';
import type { Services } from './application.ts';
import { openedIndexOf } from './judgements.ts';

type Client = ContractRouterClient<typeof contract>;
type Filtered<Input> = Input extends { filter?: infer Filter } ? Omit<Input, 'filter'> & { readonly filter: NonNullable<Filter> } : Input;

async function opened(services: Services, projectId: string) {
  const project = await services.projects.get(projectId);
  const { modelId, ...index } = await openedIndexOf(project, services.indexGeneration(projectId));
  return { index, modelId, project };
}

export async function search(services: Services, { projectId, ...asked }: Filtered<Parameters<Client['search']['query']>[0]>, signal: AbortSignal | undefined): Promise<SearchAnswer> {
  const { index, project } = await opened(services, projectId);
  const answer = await services.searcher.ask('search', { ...index, ...asked }, signal);
  return { ...answer, hits: withVerdicts(answer.hits, asked.query, await readMarks(project.folder)) };
}

/** The best of every method, for judging. */
export async function pool(services: Services, { projectId, depth, ...asked }: Filtered<Parameters<Client['judgement']['pool']>[0]>, signal: AbortSignal | undefined): Promise<SearchAnswer> {
  const { index, project } = await opened(services, projectId);
  const answer = await services.searcher.ask('pool', { ...index, ...asked, limit: depth }, signal);
  return { ...answer, hits: withVerdicts(answer.hits, asked.query, await readMarks(project.folder)) };
}

/** Passages like one that was found, itself left out. */
export async function searchSimilar(services: Services, { projectId, chunkId, limit }: Parameters<Client['search']['similar']>[0], signal: AbortSignal | undefined): Promise<SearchAnswer> {
  const { index } = await opened(services, projectId);
  const answer = await services.searcher.ask('similar', { ...index, chunkId, limit }, signal);
  return { ...answer, hits: answer.hits.map((hit) => ({ ...hit, judged: null })) };
}

export async function facets(services: Services, projectId: string): Promise<Facets> {
  return services.searcher.ask('facets', (await opened(services, projectId)).index);
}
