import { runServer } from './program.ts'

// The server by itself, as an installation without the demo has it.
runServer()
