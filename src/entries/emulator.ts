import { runProgram } from '../emulator/program.ts'

process.exitCode = await runProgram(process)
