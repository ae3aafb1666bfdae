package fulldisk

import (
	"errors"
	"slices"
	"sync"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// files are SQLite's open files on the disks of this package. SQLite has one global list of
// file systems, so this is global too.
var files struct {
	mu    sync.Mutex
	disks []*Disk
	real  uintptr             // the real file system; 0 until a disk is attended
	open  map[uintptr]*file   // by their addresses in SQLite
	made  map[uintptr]uintptr // tables of functions by the ones that they wrap
}

// A file is one on a disk.
type file struct {
	disk  *Disk
	path  string
	works *lib.Tsqlite3_io_methods // the real functions
	// shared is the size of the shared memory when the file was opened. SQLite truncates that of
	// a killed process, and can reuse the space.
	shared int64
}

// name is the name of the file system, as a C string.
var name = append([]byte("discoclaw-full-disk"), 0)

// attend makes this the default file system, and adds a disk.
func attend(d *Disk) error {
	files.mu.Lock()
	defer files.mu.Unlock()
	files.disks = append(files.disks, d)
	if files.real != 0 {
		return nil
	}
	tls := libc.NewTLS()
	defer tls.Close()
	real := lib.Xsqlite3_vfs_find(tls, 0)
	own := lib.Xsqlite3_malloc(tls, int32(unsafe.Sizeof(lib.Tsqlite3_vfs{})))
	called := lib.Xsqlite3_malloc(tls, int32(len(name)))
	if real == 0 || own == 0 || called == 0 {
		return errors.New("SQLite has no file system, or no memory for another")
	}
	copy(unsafe.Slice(at[byte](called), len(name)), name)
	fs := at[lib.Tsqlite3_vfs](own)
	*fs = *at[lib.Tsqlite3_vfs](real)
	fs.FzName, fs.FpNext = called, 0
	fs.FxOpen, fs.FxDelete = address(open), address(remove)
	files.real, files.open, files.made = real, map[uintptr]*file{}, map[uintptr]uintptr{}
	if lib.Xsqlite3_vfs_register(tls, own, 1) != lib.SQLITE_OK {
		return errors.New("SQLite takes no other file system")
	}
	return nil
}

func forget(d *Disk) {
	files.mu.Lock()
	defer files.mu.Unlock()
	files.disks = slices.DeleteFunc(files.disks, func(other *Disk) bool { return other == d })
}

// at is the value at an address in SQLite's memory, which is not Go's.
func at[T any](p uintptr) *T { return *(**T)(unsafe.Pointer(&p)) }

// address is the C address of a function, and function is the reverse.
func address[F any](f F) uintptr  { return *(*uintptr)(unsafe.Pointer(&f)) }
func function[F any](p uintptr) F { return *(*F)(unsafe.Pointer(&p)) }

// diskOf finds the disk of a path, which may have no name.
func diskOf(path uintptr) (*Disk, string) {
	if path == 0 {
		return nil, ""
	}
	name := libc.GoString(path)
	for _, d := range files.disks {
		if d.has(name) {
			return d, name
		}
	}
	return nil, ""
}

// open opens a file. On a disk, some of its functions are replaced with those of this package.
func open(tls *libc.TLS, _, path, handle uintptr, flags int32, result uintptr) int32 {
	real := at[lib.Tsqlite3_vfs](files.real)
	code := function[func(*libc.TLS, uintptr, uintptr, uintptr, int32, uintptr) int32](real.FxOpen)(tls, files.real, path, handle, flags, result)
	files.mu.Lock()
	defer files.mu.Unlock()
	d, name := diskOf(path)
	opened := at[lib.Tsqlite3_file](handle)
	if code != lib.SQLITE_OK || d == nil || opened.FpMethods == 0 {
		return code
	}
	works := opened.FpMethods
	if files.made[works] == 0 {
		files.made[works] = stand(tls, works)
	}
	files.open[handle] = &file{disk: d, path: name, shared: size(name + "-shm"), works: at[lib.Tsqlite3_io_methods](works)}
	opened.FpMethods = files.made[works]
	return code
}

// stand makes a table of functions that wraps another.
func stand(tls *libc.TLS, works uintptr) uintptr {
	made := lib.Xsqlite3_malloc(tls, int32(unsafe.Sizeof(lib.Tsqlite3_io_methods{})))
	methods := at[lib.Tsqlite3_io_methods](made)
	*methods = *at[lib.Tsqlite3_io_methods](works)
	methods.FxWrite, methods.FxShmMap, methods.FxClose = address(write), address(share), address(shut)
	return made
}

// remove deletes a file.
func remove(tls *libc.TLS, _, path uintptr, sync int32) int32 {
	files.mu.Lock()
	d, _ := diskOf(path)
	files.mu.Unlock()
	if d != nil {
		if code := d.remove(); code != lib.SQLITE_OK {
			return code
		}
	}
	real := at[lib.Tsqlite3_vfs](files.real)
	return function[func(*libc.TLS, uintptr, uintptr, int32) int32](real.FxDelete)(tls, files.real, path, sync)
}

func find(handle uintptr) *file {
	files.mu.Lock()
	defer files.mu.Unlock()
	return files.open[handle]
}

// write writes into a file.
func write(tls *libc.TLS, handle, from uintptr, bytes int32, offset int64) int32 {
	f := find(handle)
	if code := f.disk.write(f.path, offset+int64(bytes)); code != lib.SQLITE_OK {
		return code
	}
	return function[func(*libc.TLS, uintptr, uintptr, int32, int64) int32](f.works.FxWrite)(tls, handle, from, bytes, offset)
}

// share maps a region of what connections share into memory.
func share(tls *libc.TLS, handle uintptr, region, bytes, extend int32, result uintptr) int32 {
	f := find(handle)
	if end := int64(region+1) * int64(bytes); extend != 0 && end > f.shared {
		if code := f.disk.share(f.path, end); code != lib.SQLITE_OK {
			return code
		}
	}
	return function[func(*libc.TLS, uintptr, int32, int32, int32, uintptr) int32](f.works.FxShmMap)(tls, handle, region, bytes, extend, result)
}

// shut closes a file.
func shut(tls *libc.TLS, handle uintptr) int32 {
	files.mu.Lock()
	f := files.open[handle]
	delete(files.open, handle)
	files.mu.Unlock()
	return function[func(*libc.TLS, uintptr) int32](f.works.FxClose)(tls, handle)
}
