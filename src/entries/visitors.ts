import { runAction } from '../action/run-action.ts'
import { visitorsAction } from '../visitors/visitors-action.ts'

await runAction(visitorsAction)
