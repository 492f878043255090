export interface DeviceLink {
  /** Where devices connect, without anybody's credentials. */
  url: string
  /** Of the embedded broker; undefined when an external one is used. */
  port: number | undefined
  /** Whether messages of devices arrive: the embedded broker listens, or the external one has a session for this process. */
  isUp(): boolean
  /** Stores and acknowledges what was taken, then ends the connections. */
  stop(): Promise<void>
}
