// Preloaded into programs that npm runs. npm passes a signal only to its shell, which exits without passing it on to
// its child, so that stopping `npm start` by its process id would leave the server running. The program therefore exits
// when its parent does.
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

  // A program that is already stopping must not get a second signal, which may make it stop at once. Signals are handled only
  // where the program handles them itself, because a handler disables a signal's default effect.
  const heard = new Set()
  process.on('newListener', (event) => {
    if (!signals.includes(event) || heard.has(event)) return
    heard.add(event)
    process.once(event, () => clearInterval(watch))
  })
}
