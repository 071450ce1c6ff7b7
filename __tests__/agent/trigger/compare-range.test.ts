import { expect, test } from '@jest/globals'
import { compareWhatIsThere, type Compared } from '../../../src/agent/trigger/compare-range.ts'
import type { ChangeRange } from '../../../src/agent/trigger/change-range.ts'
import type { GitHub } from '../../../src/github/github.ts'
import { fakeGitHub, RUN_FACTS } from '../../support/fake-github.ts'
import { commit } from '../../support/github-state.ts'

async function compareRange(range: ChangeRange, github: GitHub): Promise<Compared> {
  const looked = await compareWhatIsThere(range, github, RUN_FACTS)
  if (looked.kind === 'nothing') throw new Error(looked.reason)
  return looked.compared
}

test('a range of another repository is asked there, and told so', async () => {
  const asked: string[] = []
  const usual = fakeGitHub()
  const github = fakeGitHub({
    compare: (repository, base, head) => {
      asked.push(repository)
      return usual.compare(repository, base, head)
    },
  })
  const range = {
    kind: 'compare',
    repository: 'acme/code',
    base: 'v1',
    head: commit('b'),
    about: 'the release',
  } as const
  const compared = await compareRange(range, github)
  expect(asked).toEqual(['acme/code'])
  expect(compared).toMatchObject({ repository: 'acme/code', title: 'the release, from v1 to bbbbbbb' })
})

test('people are told who pushed where, and the agent is told no names of strangers', async () => {
  const pushed = { branch: 'docs`x', by: 'mona', isByApp: false }
  const range = { kind: 'compare', base: commit('a'), head: commit('b'), about: 'the push', pushed } as const
  const { title, story } = await compareRange(range, fakeGitHub())
  expect(title).toBe('the push, from aaaaaaa to bbbbbbb')
  expect(story).toBe("the push to `docs'x` by `mona`, from `aaaaaaa` to `bbbbbbb`")
})
