import { runServer } from '@caretaker/server/program.ts'

// `npm start`: the server, with the demo unless it is turned off.
runServer(async () => (await import('./world.ts')).world)
