import http from 'node:http'

/** Listeners in a process of their own, so that what they take is not counted. */
export interface ListenOrder {
  url: string
  tokens: string[]
  perPerson: number
}

/** Sent when all listen, and when all have heard of a change: when the last one did, in ms since the epoch. */
export interface Heard {
  last: number
}

/** Resolves when it listens; `onChange` is called for each event that tells of one. */
function listen(url: string, token: string, onChange: () => void): Promise<void> {
  return new Promise((listening, reject) => {
    const request = http.get(url, { agent: false, headers: { authorization: `Bearer ${token}` } })
    request.on('error', reject)
    request.on('response', (response) => {
      if (response.statusCode !== 200) reject(new Error(`refused with ${response.statusCode}`))
      response.on('data', (chunk: Buffer) => (chunk.includes('"subject"') ? onChange() : listening()))
    })
  })
}

async function listenAll({ url, tokens, perPerson }: ListenOrder): Promise<void> {
  const count = tokens.length * perPerson
  let heard = 0
  const onChange = () => {
    if (++heard % count === 0) process.send!({ last: Date.now() } satisfies Heard)
  }
  // One person's at a time: pages that come back after a stop do so by and by.
  for (const token of tokens) await Promise.all(Array.from({ length: perPerson }, () => listen(url, token, onChange)))
  process.send!({ last: Date.now() } satisfies Heard)
}

process.once('message', (order: ListenOrder) => {
  listenAll(order).catch((error: unknown) => {
    console.error(error)
    process.exit(1)
  })
})
process.on('disconnect', () => process.exit(0))
