// What the page knows, as docs/web.md declares it; for editors and `make lint` alone, no browser loads it.

export type Quad = [[number, number], [number, number], [number, number], [number, number]];
export interface Phrase { template: string; values: Record<string, unknown>; [more: string]: unknown }
export interface Fault { fault: string; set: number | null; tiles: string[]; message: string; phrase?: Phrase; [more: `message_${string}`]: unknown }
export interface Judged { verdict: "legal" | "illegal" | "undecided"; faults: Fault[] }
export interface Verdict extends Judged {
  outcome: "played" | "no_play"; stands: boolean; late: boolean; game: number; turn: number; seat: number;
  judged_at: number; frame_id: string; played: string[]; meld: number | null;
}
export interface Player { seat: number; name: string; opened: boolean; rack: number; total: number; games_won: number; gone: boolean; bank: number | null }
export interface Clock { running: boolean; of: number | null; seconds_left: number | null; ends_at: number | null }
export interface Meld { points: number; needed: number }
export interface Joker { tile: string; stands_for: { numbers: number[]; colours: string[] } | null; set: number; index: number }
export interface Asked { index: number; may_be: string[]; or_none: boolean; where: string; crop: string | null }
export interface Proposal {
  seat: number; say: "correct" | "add" | "add_set" | "join" | "part"; was?: string | null; tile?: string | null; where?: string;
  rows_were?: string[][]; rows?: string[][]; tiles: { quad: Quad; crop: string | null }[]; ends_at: number; seconds_left: number;
}
export interface Move { what: "move" | "bring" | "take_back"; tile: string; set: number | null; from: Quad | null; to: Quad | null; index: number | null; done: boolean }
export interface Ghost { tile: string; quad: Quad; set: number }
export interface Restore {
  sets: string[][]; before: null | { picture: string | null; tiles: Ghost[]; size?: [number, number] };
  moves: Move[]; missing: string[]; surplus: string[];
}
export interface Result { game: number; winners: number[]; blocked: boolean; on_time: boolean; scores: number[] | null; unopened: number[] }
export type Phase = "turn" | "looking" | "doubt" | "time_up" | "restore" | "game_over" | "clearing" | "match_over";

export interface Match {
  edition: string; edition_name: string; format: string; began_at: number; joker_penalty: number; could_open_penalty: number | null;
  phase: Phase; halted: ("pause" | "camera" | "restart")[]; game: number; games: number; turn: number; seat: number; starter: number;
  players: Player[]; order: number[]; clock: Clock; pool: number; meld: Meld | null; played: string[]; jokers: Joker[]; can: string[]; undo_until: number | null;
  verdict: Verdict | null; now: Judged | null; asked: Asked[]; proposal: Proposal | null;
  changed: null | { missing: string[]; added: string[] }; restore: Restore | null; results: Result[];
  waiting_for_racks: number[] | null; racks: { seat: number; tiles: string[]; value: number }[];
  rack_asked: null | { seat: number; reason: "nothing" | "table" | "box" | "count" | "doubt"; tiles: string[]; expected: number };
  ranking: number[] | null; ranks: number[] | null;
}
export interface Tile {
  index: number; tile: string | null; quad: Quad; confidence: number; unsure: boolean; alternatives: [string, number][];
  corrected: null | { was: string | null; by: string; missed?: boolean }; crop: string | null; played: boolean;
}
export interface TileSet { tiles: number[]; state: "ok" | "unfinished" | "wrong" | "doubt"; kind: "group" | "run" | "mirror" | null; worth: number | null; new: boolean }
export interface Table {
  frame_id: string | null; settled_at: number | null; seen_at: number | null; camera: "ok" | "lost" | "none"; hands: boolean;
  private: boolean; stale: boolean; size: [number, number] | null; picture: string | null; live: string | null;
  tiles: Tile[]; sets: TileSet[]; loose: number[];
}
export interface State { rev: number; at: number; wall: string; safe_mode: string | null; arbiter: null | { called_at: number | null }; match: Match | null; table: Table }

export interface HouseRule { key: string; kind: "truth" | "choice" | "whole"; value: any; choices?: string[]; least?: number; most?: number }
export interface Edition { id: string; name: string; tiles: string[]; colours: Record<string, string>; players: [number, number]; house_rules: HouseRule[]; [more: string]: any }
export interface Format { id: string; players: [number, number] | null; changes: Record<string, any> }
export interface Session { organiser: boolean; csrf?: string; pin_set: boolean; players_may_correct?: boolean; corrections?: "organiser" | "agreement" | "players"; version?: string }

/** Everything a view draws from. */
export interface App {
  state: State | null; heardAt: number; heardWall: number; lostAt: number | null; linked: boolean; told: number;
  session: Session; editions: Edition[]; formats: Format[]; tab: string; part: string | null; large: boolean;
  sheet: null | { title: string; content: () => unknown; opener?: any }; toast: null | { text: string; bad: boolean }; local: Record<string, any>;
}

export interface ButtonOptions { sign?: string | null; kind?: string; [attribute: string]: unknown }
