import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'

/** A mail server that keeps received messages and responds as a test sets it. */
export interface MailServer {
  /** For SMTP_URL. */
  url: string
  /** Complete messages as received, headers first. */
  received: string[]
  /** The response to the next recipients, 250 by default: '450 later' or '550 never'. */
  answerRecipient: string
  /** The response to the next senders: '530 sign in first'. */
  answerSender: string
  /** The behaviour after an accepted message: a response, a silent disconnect, or nothing forever. */
  atEnd: 'answer' | 'hang up' | 'hang'
  /** Answers pending clients and all later ones. */
  goOn(): void
  close(): Promise<void>
}

export async function mailServer(): Promise<MailServer> {
  const received: string[] = []
  const hanging: (() => void)[] = []
  const sockets = new Set<import('node:net').Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    const respond = (line: string) => socket.write(`${line}\r\n`)
    let buffer = ''
    let inData = false
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      buffer += chunk
      for (;;) {
        const end = inData ? '\r\n.\r\n' : '\r\n'
        const at = buffer.indexOf(end)
        if (at < 0) return
        const line = buffer.slice(0, at)
        buffer = buffer.slice(at + end.length)
        if (inData) {
          received.push(line)
          inData = false
          if (mail.atEnd === 'answer') respond('250 kept')
          if (mail.atEnd === 'hang up') socket.destroy()
          if (mail.atEnd === 'hang') hanging.push(() => respond('250 kept'))
        } else if (/^DATA/i.test(line)) {
          inData = true
          respond('354 go on')
        } else if (/^RCPT/i.test(line)) respond(mail.answerRecipient)
        else if (/^MAIL/i.test(line)) respond(mail.answerSender)
        else if (/^QUIT/i.test(line)) socket.end('221 bye\r\n')
        else respond('250 mail.test')
      }
    })
    respond('220 mail.test')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const mail: MailServer = {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answerRecipient: '250 ok',
    answerSender: '250 ok',
    atEnd: 'answer',
    goOn: () => {
      mail.atEnd = 'answer'
      for (const answer of hanging.splice(0)) answer()
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
  return mail
}
