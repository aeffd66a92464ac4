/** Facts, checked by the compiler: what core says passes through the contract without being changed. */
import { describe, expectTypeOf, it } from 'vitest';
import type * as base from '../../core/base/errors.ts';
import type { Progress } from '../../core/base/progress.ts';
import type { MatchingRules } from '../../core/retrieval/matching-rules.ts';
import type { SearchFilter } from '../../core/retrieval/search-filter.ts';
import type { Hit, SearchRequest } from '../../core/retrieval/open-index.ts';
import type * as training from '../../core/training/events.ts';
import type * as contract from '../contract/index.ts';
import type { filterOf } from '../workers/facets.ts';

describe('the contract', () => {
  it('takes the training events of core as they are, and knows no others', () => {
    expectTypeOf<training.TrainingEvent>().toExtend<contract.TrainingEvent>();
    expectTypeOf<contract.TrainingEvent['kind']>().toEqualTypeOf<training.TrainingEvent['kind']>();
    expectTypeOf<contract.TrainingPhase>().toEqualTypeOf<training.TrainingPhase>();
    expectTypeOf<training.TrainingSummary>().toExtend<contract.TrainingSummary>();
  });

  it('takes the hits of core as they are', () => {
    expectTypeOf<Hit>().toExtend<contract.FoundHit>();
    expectTypeOf<NonNullable<ReturnType<typeof filterOf>['filter']>>().toExtend<SearchFilter>();
    expectTypeOf<contract.SpellingRules>().toExtend<MatchingRules>();
    expectTypeOf<contract.SearchMethod>().toEqualTypeOf<NonNullable<SearchRequest['method']>>();
    expectTypeOf<contract.Reason['kind']>().toEqualTypeOf<Hit['reasons'][number]['kind']>();
  });

  it('takes errors and progress of core as they are', () => {
    expectTypeOf<Omit<base.ErrorRecord, 'stack' | 'data'>>().toEqualTypeOf<Readonly<Omit<contract.ErrorRecord, 'data'>>>();
    expectTypeOf<base.ErrorRecord['data'][string]>().toEqualTypeOf<contract.ErrorRecord['data'][string]>();
    expectTypeOf<Progress>().toExtend<contract.Progress>();
  });
});
