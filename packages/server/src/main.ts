import { runServer } from './program.ts'

// The server without the demo.
runServer()
