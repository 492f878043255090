export interface DeviceLink {
  /** Where devices connect, without anybody's credentials. */
  url: string
  /** Of the embedded broker; undefined when an external one is used. */
  port: number | undefined
  /** Stores and acknowledges what was taken, then ends the connections. */
  stop(): Promise<void>
}
