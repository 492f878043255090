/** The JSON of a generic connection's command, unless the connection has its own. */
export const usualTemplate = '{"sensor":"{sensor}","setPoint":"{setPoint}","id":"{id}"}'

export interface CommandValues {
  /** The id of the command. */
  id: string
  /** The id of the sensor in its messages. */
  sensor: string
  /** In °C. */
  setPoint: number
}

/**
 * Replaces `{sensor}`, `{setPoint}` and `{id}` in the texts of a parsed template. A text that is only `{setPoint}` becomes the
 * number. Values never change the structure of the JSON.
 */
export function fillTemplate(template: unknown, values: CommandValues): unknown {
  if (typeof template === 'string') {
    if (template === '{setPoint}') return values.setPoint
    return template.replaceAll(/\{(id|sensor|setPoint)\}/g, (_, name: keyof CommandValues) => String(values[name]))
  }
  if (Array.isArray(template)) return template.map((one) => fillTemplate(one, values))
  if (typeof template === 'object' && template !== null)
    return Object.fromEntries(Object.entries(template).map(([name, one]) => [name, fillTemplate(one, values)]))
  return template
}

/** Why a text is not a template; undefined if it is one. */
export function templateFault(text: string): string | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return 'must be JSON'
  }
  const filled = JSON.stringify(fillTemplate(parsed, { id: '', sensor: '', setPoint: 0 }))
  const other = JSON.stringify(fillTemplate(parsed, { id: '', sensor: '', setPoint: 1 }))
  return filled === other ? 'must contain "{setPoint}"' : undefined
}

/** The topic for commands to a sensor; undefined if its id cannot be part of a topic. */
export function fillTopic(topic: string, sensor: string): string | undefined {
  // Replaced by a function: `$&` in the id of a sensor has no meaning.
  const filled = topic.replaceAll('{sensor}', () => sensor)
  return /[+#\0]/.test(filled) || filled.startsWith('$') ? undefined : filled
}

/** Whether a subscription to `filter` receives the messages of a topic (MQTT 5, section 4.7). */
export function matchesFilter(topic: string, filter: string): boolean {
  const [levels, wanted] = [topic.split('/'), filter.replace(/^\$share\/[^/]+\//, '').split('/')]
  for (const [at, level] of wanted.entries()) {
    if (level === '#') return true
    if (at >= levels.length || (level !== '+' && level !== levels[at])) return false
  }
  return wanted.length === levels.length
}
