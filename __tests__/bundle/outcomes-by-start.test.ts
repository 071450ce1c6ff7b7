import { expect, test } from '@jest/globals'
import { runFlags } from '../../scripts/pictures/run-flags.ts'
import { listScenarios } from '../../scripts/start/scenarios.ts'
import { OUTCOMES } from '../../src/agent/record.ts'
import { FILLS_DISK, MESSAGE_FLAGS, needsProcess, OUTCOME_FLAGS } from './start-flags.ts'

/** Joins the lines that a terminal would break. */
const unwrap = (text: string): string => text.replaceAll(/\s+/g, ' ')

test.each(['comment-by-outsider', 'follow-ups-used-up'])(
  '«npm start -- --scenario %s» sends nothing, so it names no addition to the prompt and no new job',
  async (name) => {
    const { log, summary } = await runFlags(`--scenario ${name}`)
    expect(log + summary).not.toContain('Added to the prompt')
    expect(summary.split('\n')[0]).not.toContain('new job')
  },
)

test.each(Object.entries(OUTCOME_FLAGS))('ends with %s: npm start -- %s', async (outcome, flags) => {
  expect((await runFlags(flags)).outcome).toBe(outcome)
})

test.each(MESSAGE_FLAGS.filter(([flags]) => !needsProcess(flags) && !flags.includes(FILLS_DISK)))(
  '«npm start -- %s» shows “%s”',
  async (flags, message) => {
    const { log, summary, page } = await runFlags(flags)
    expect(unwrap([log, summary, page].join('\n'))).toContain(unwrap(message))
  },
)

const commands = [...Object.values(OUTCOME_FLAGS), ...MESSAGE_FLAGS.map(([flags]) => flags)].join(' ')
const listed = [...listScenarios().matchAll(/^ {2}([a-z-]+) {2,}[A-Z]/gm)].map(([, name = '']) => name)

test.each(listed.filter((name) => !new RegExp(`[ ",]${name}(?:[ ",]|$)`).test(commands)))(
  '«npm start -- --scenario %s» ends',
  async (name) => {
    expect(OUTCOMES).toContain((await runFlags(`--scenario ${name}`)).outcome)
  },
)
