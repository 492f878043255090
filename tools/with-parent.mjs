// Loaded before a program that npm runs. npm passes a signal on to its shell alone, and the shell dies of it without a word to its child:
// who stops `npm start` by its process id would leave the server running. So the program ends when its parent does.
import { isMainThread } from 'node:worker_threads'

const signals = ['SIGINT', 'SIGTERM']

if (isMainThread && process.env.npm_lifecycle_event !== undefined && process.platform !== 'win32') {
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    process.kill(process.pid, 'SIGTERM')
  }, 500)
  watch.unref()

  // A program that is stopping already must not be told a second time, which it may take for impatience. It is listened to only where
  // the program listens itself, for a listener takes away the signal's usual effect.
  const heard = new Set()
  process.on('newListener', (event) => {
    if (!signals.includes(event) || heard.has(event)) return
    heard.add(event)
    process.once(event, () => clearInterval(watch))
  })
}
