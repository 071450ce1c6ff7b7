/** Writes docs/result.schema.json, the schema of the output `result`. A test says if it is not that of the code. */
import { writeFileSync } from 'node:fs'
import * as z from 'zod/mini'
import { resultSchema } from '../../src/agent/report/result.ts'

writeFileSync('docs/result.schema.json', `${JSON.stringify(z.toJSONSchema(resultSchema), undefined, 2)}\n`)
