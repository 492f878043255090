import { runServer } from '@caretaker/server/program.ts'

// `npm start`: the server, and with it the demo unless that is off.
runServer(async () => (await import('./world.ts')).world)
